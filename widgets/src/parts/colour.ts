/** A colour by its meaning: the name of a token in tokens.css, without its prefix. */
export const v = (name: string): string => `var(--xg-${name})`;
