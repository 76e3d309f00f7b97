"""The campaign: what is tried on the engine for hours, where the tests take seconds. See docs/campaign.md."""
