import { NEVER_STOP, stopAt, stopWhen } from '../../core/stop-signal';
import { FakeClock } from '../support/fakes/clock';

test('stopAt aborts from its time on, and stopWhen while its condition holds', () => {
  const clock = new FakeClock(1_000);
  const signals = [stopAt(clock, 1_010), stopWhen(() => clock.now() === 1_009), NEVER_STOP];
  const aborted = () => signals.map((signal) => signal.aborted);
  expect(aborted()).toEqual([false, false, false]);
  clock.advance(9);
  expect(aborted()).toEqual([false, true, false]);
  clock.advance(1);
  expect(aborted()).toEqual([true, false, false]);
});
