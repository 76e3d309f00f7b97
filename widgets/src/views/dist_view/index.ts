import { prob } from "../../text";
import { defineView } from "../../view";
import style from "./style.css";
import { DistView } from "./view";

export const distView = defineView({
  name: "dist_view",
  title: "Distribution",
  component: DistView,
  says: ({ step }) => {
    const { z = null, kl = null } = step.value ?? {};
    return z === null ? "" : `Z ${prob(z)}${kl === null ? "" : `, KL ${kl.toPrecision(3)} nats`}`;
  },
  style,
});
