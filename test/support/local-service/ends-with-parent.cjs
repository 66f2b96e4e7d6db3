/**
 * Runs the script that the arguments name, and ends when the process that started this one has
 * ended, also after a kill that nothing can catch: its end of the pipe is then closed.
 */
process.stdin.on('close', () => process.kill(process.pid, 'SIGKILL')).resume();
process.stdin.unref();
process.argv.splice(1, 1);
require(process.argv[1]);
