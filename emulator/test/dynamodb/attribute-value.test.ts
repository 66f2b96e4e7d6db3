import {
  canonicalItem,
  canonicalNumber,
  equalValues,
} from '../../src/services/dynamodb/protocol/attribute-value';

test.each([
  ['0', '0'],
  ['-0.00', '0'],
  ['+7', '7'],
  ['007', '7'],
  ['1.0', '1'],
  ['01.50', '1.5'],
  ['-01.50e2', '-150'],
  ['.5', '0.5'],
  ['5.', '5'],
  ['1E3', '1000'],
  ['1e-3', '0.001'],
  ['120e-1', '12'],
  ['-12345.678e-3', '-12.345678'],
  ['100', '100'],
  ['abc', 'abc'],
  ['', '0'],
])('canonicalises the number %s to %s', (text, canonical) => {
  expect(canonicalNumber(text)).toBe(canonical);
});

test('canonicalises numbers at any depth, and no text', () => {
  const item = {
    a: { L: [{ N: '1.0' }, { M: { b: { NS: ['2.0', '03'] } } }] },
    s: { S: '1.0' },
  };
  expect(canonicalItem(item)).toEqual({
    a: { L: [{ N: '1' }, { M: { b: { NS: ['2', '3'] } } }] },
    s: { S: '1.0' },
  });
});

test.each([
  [{ a: { S: 'x' }, b: { N: '1' } }, { b: { N: '1' }, a: { S: 'x' } }, true],
  [{ a: { SS: ['x', 'y'] } }, { a: { SS: ['y', 'x'] } }, true],
  [{ a: { L: [{ S: 'x' }, { S: 'y' }] } }, { a: { L: [{ S: 'y' }, { S: 'x' }] } }, false],
  [{ a: { M: { SS: { S: 'x' } } } }, { a: { M: { SS: { S: 'y' } } } }, false],
  [{ a: { S: 'x' } }, { a: { S: 'x' }, b: { S: 'y' } }, false],
  [{ a: { S: '1' } }, { a: { N: '1' } }, false],
  [{ a: { S: '1' } }, undefined, false],
])('compares %j and %j', (a, b, equal) => {
  expect(equalValues(a, b)).toBe(equal);
});
