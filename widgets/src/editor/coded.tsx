// Words of a finding: what stands between backticks is code.
export const coded = (words: string) => words.split("`").map((part, k) => (k % 2 ? <code key={k}>{part}</code> : part));
