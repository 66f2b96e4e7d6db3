import { blobSubjects } from './subjects/blob-subjects';
import { blobsContract } from './suites/blobs-contract';

for (const [name, open] of blobSubjects) blobsContract(name, open);
