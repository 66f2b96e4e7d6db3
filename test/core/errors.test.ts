import { invalid } from '../../core/errors';

test('an error names its field, and of a long one the beginning', () => {
  const short = 'x'.repeat(100);
  expect(invalid(short, 'is wrong')).toMatchObject({
    message: `${short}: is wrong`,
    details: { field: short, rule: 'is wrong' },
  });
  for (const long of [`${short}y`, `${short}${'y'.repeat(60_000)}`]) {
    expect(invalid(long, 'is wrong')).toMatchObject({
      message: `${short}…: is wrong`,
      details: { field: `${short}…`, rule: 'is wrong' },
    });
  }
});

test('an error is well-formed where a long field is cut within a character', () => {
  const { message, details } = invalid(`x${'\u{1f600}'.repeat(100)}`, 'is wrong');
  expect([message.isWellFormed(), String(details?.field).isWellFormed()]).toEqual([true, true]);
});
