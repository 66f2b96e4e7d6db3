// The software bill of materials of the npm package: every npm package whose code the bundles hold,
// in the format CycloneDX 1.6 (https://cyclonedx.org/specification/overview).
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import { root } from './installed.mjs';

const spec = Spec.Spec1dot6;

/**
 * Returns the document as JSON, without a time or a serial number: the same parts give the same
 * text.
 * @param {{name: string, version: string, license: string}} manifest of the package
 * @param {{name: string, version: string, identifier: string}[]} parts
 */
export function billOfMaterials(manifest, parts) {
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const hashes = hashesOf(lock.packages);
  const bom = new Models.Bom();
  bom.metadata.component = component(Enums.ComponentType.Library, manifest, manifest.license);
  const seen = new Set();
  for (const part of parts) {
    const id = `${part.name}@${part.version}`;
    if (seen.has(id)) continue;
    seen.add(id);
    const added = component(Enums.ComponentType.Library, part, part.identifier);
    const sha512 = hashes.get(id);
    if (sha512 !== undefined) added.hashes.set(Enums.HashAlgorithm['SHA-512'], sha512);
    bom.components.add(added);
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(spec));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

function component(type, { name, version }, license) {
  // The package URL of npm (https://github.com/package-url/purl-spec): the scope's @ is encoded.
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const made = new Models.Component(type, name, { version, purl, bomRef: purl });
  if (license !== undefined) {
    const isOne = /^[\w.+-]+$/.test(license);
    made.licenses.add(
      isOne ? new Models.SpdxLicense(license) : new Models.LicenseExpression(license),
    );
  }
  return made;
}

/** SHA-512 in hexadecimal by `name@version`, of the tarballs in the lock file. */
function hashesOf(packages) {
  const hashes = new Map();
  for (const [folder, { version, integrity }] of Object.entries(packages)) {
    const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const [algorithm, digest] = integrity?.split('-') ?? [];
    if (algorithm !== 'sha512') continue;
    hashes.set(`${name}@${version}`, Buffer.from(digest, 'base64').toString('hex'));
  }
  return hashes;
}
