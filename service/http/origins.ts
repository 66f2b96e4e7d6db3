/** The distinct origins of the addresses. Throws a TypeError for a string that is no URL. */
export function originsOf(addresses: readonly string[]): readonly string[] {
  return [...new Set(addresses.map((address) => new URL(address).origin))];
}
