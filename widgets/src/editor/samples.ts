// Beginnings for an empty pad: small, whole, each of another kind.
import type { PadKind } from "../wire";

export const SAMPLES: readonly { title: string; kind: PadKind; text: string }[] = [
  { title: "yes or no", kind: "ebnf", text: 'root ::= "yes" | "no"\n' },
  {
    title: "arithmetic",
    kind: "ebnf",
    text: 'root   ::= sum\nsum    ::= term (("+" | "-") term)*\nterm   ::= factor (("*" | "/") factor)*\nfactor ::= number | "(" sum ")"\nnumber ::= [0-9]{1,9}\n',
  },
  {
    title: "a JSON Schema",
    kind: "json_schema",
    text: '{\n  "type": "object",\n  "properties": {\n    "city": {"type": "string", "minLength": 1, "maxLength": 64},\n    "unit": {"enum": ["celsius", "fahrenheit"]}\n  },\n  "required": ["city", "unit"],\n  "additionalProperties": false\n}\n',
  },
  {
    title: "a tool call",
    kind: "ebnf",
    text: 'root ::= TagDispatch(("<tool_call>", call))\ncall ::= "\\n{\\"city\\": \\"" char{1,64} "\\"}\\n</tool_call>"\nchar ::= [^"\\\\\\x00-\\x1F]\n',
  },
  {
    title: "a template",
    kind: "ebnf",
    text: 'root    ::= Each($sections, section)\nsection ::= "<section id=\\"" $id "\\">" [^<]{1,200} "</section>\\n"\n',
  },
];
