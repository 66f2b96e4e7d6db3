import { blobSubjects } from './blob-subjects';
import { blobsContract } from './blobs-contract';

for (const [name, open] of blobSubjects) blobsContract(name, open);
