import { defineView } from "../../view";
import { Audit } from "./view";

export const audit = defineView({
  name: "audit",
  title: "Audit",
  component: Audit,
  place: "cost",
});
