import { blobSubjects } from './subjects/blob-subjects';
import { blobsContract } from './suites/blobs-contract';
import { partCopiesContract } from './suites/copies/part-copies-contract';

for (const contract of [blobsContract, partCopiesContract]) {
  for (const [name, open] of blobSubjects) contract(name, open);
}
