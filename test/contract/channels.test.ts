import { channelSubjects } from './subjects/channel-subjects';
import { channelsContract } from './suites/channels-contract';

for (const [name, open] of channelSubjects) channelsContract(name, open);
