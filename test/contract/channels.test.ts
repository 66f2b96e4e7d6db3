import { channelSubjects } from './channel-subjects';
import { channelsContract } from './channels-contract';

for (const [name, open] of channelSubjects) channelsContract(name, open);
