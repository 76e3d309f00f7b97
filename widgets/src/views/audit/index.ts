import { defineView } from "../../view";
import style from "./style.css";
import { Audit } from "./view";

export const audit = defineView({
  name: "audit",
  title: "Audit",
  component: Audit,
  style,
});
