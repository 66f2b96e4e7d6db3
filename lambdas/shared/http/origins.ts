/** The origins of some addresses, each once. Throws a TypeError for what is no address. */
export function originsOf(addresses: readonly string[]): readonly string[] {
  return [...new Set(addresses.map((address) => new URL(address).origin))];
}
