const INTERVAL_MS = 500;

/**
 * Ends this process like SIGTERM when its parent, npm or npm's shell, has ended: neither passes
 * every signal on, and a service without a parent would keep its ports. Without npm it does
 * nothing: who starts node in the background means it to stay.
 */
export function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const look = () => process.ppid !== parent && process.kill(process.pid, 'SIGTERM');
  setInterval(look, INTERVAL_MS).unref();
}
