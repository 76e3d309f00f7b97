declare const BUILD: string;
declare module "*.css" {
  const text: string;
  export default text;
}
