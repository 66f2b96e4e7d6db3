import {
  BASE,
  CUSTOM,
  invocationUri,
  method,
  type Resources,
  resource,
  STREAM,
  streamingUri,
} from '../stack';
import { integration, openMethod, refusal } from './model-changes';

test.each<[string, Resources, string]>([
  [
    'an integration that is not AWS_PROXY',
    integration({ Type: 'MOCK' }),
    'OpenAny (AWS::ApiGateway::Method): Properties.Integration.Type MOCK',
  ],
  [
    'a service integration',
    integration({ Uri: 'arn:aws:apigateway:us-east-1:s3:path/x' }),
    'OpenAny (AWS::ApiGateway::Method): Properties.Integration.Uri is not a Lambda',
  ],
  [
    'a function of another stack',
    integration({ Uri: invocationUri('other') }),
    'Properties.Integration.Uri names no function',
  ],
  [
    'a URI with stage variables',
    integration({ Uri: invocationUri('$' + '{stageVariables.fn}') }),
    'Properties.Integration.Uri names no function',
  ],
  [
    'STREAM with the buffered URI',
    integration({ ResponseTransferMode: 'STREAM' }),
    'Properties.Integration.Uri does not fit',
  ],
  [
    'the streaming URI without STREAM',
    integration({ Uri: streamingUri('api') }),
    'Properties.Integration.Uri does not fit',
  ],
  [
    'an unknown transfer mode',
    integration({ ResponseTransferMode: 'X' }),
    'Properties.Integration.ResponseTransferMode',
  ],
  [
    'another method to Lambda than POST',
    integration({ IntegrationHttpMethod: 'GET' }),
    'Properties.Integration.IntegrationHttpMethod',
  ],
  [
    'request templates',
    integration({ RequestTemplates: {} }),
    'Properties.Integration.RequestTemplates',
  ],
  ['credentials', integration({ Credentials: 'arn:x' }), 'Properties.Integration.Credentials'],
  [
    'a buffered timeout above 29 s',
    integration({ TimeoutInMillis: 29_001 }),
    'Properties.Integration.TimeoutInMillis',
  ],
  [
    'a streaming timeout above 15 min',
    integration({ ...STREAM, TimeoutInMillis: 900_001 }),
    'Properties.Integration.TimeoutInMillis',
  ],
  [
    'a timeout below 50 ms',
    integration({ TimeoutInMillis: 49 }),
    'Properties.Integration.TimeoutInMillis',
  ],
  [
    'a timeout that is not a number',
    integration({ TimeoutInMillis: '5s' }),
    'Properties.Integration.TimeoutInMillis',
  ],
  [
    'a missing integration',
    openMethod({ Integration: undefined }),
    'Properties.Integration is missing',
  ],
  [
    'a validator',
    openMethod({ RequestValidatorId: 'v' }),
    'OpenAny (AWS::ApiGateway::Method): Properties.RequestValidatorId',
  ],
  ['request parameters', openMethod({ RequestParameters: {} }), 'Properties.RequestParameters'],
  ['a required API key', openMethod({ ApiKeyRequired: true }), 'Properties.ApiKeyRequired'],
  [
    'IAM authorization',
    openMethod({ AuthorizationType: 'AWS_IAM' }),
    'Properties.AuthorizationType AWS_IAM',
  ],
  [
    'an unknown authorizer',
    openMethod({ ...CUSTOM, AuthorizerId: 'x' }),
    'Properties.AuthorizerId is unknown: x',
  ],
  ['an unknown method', openMethod({ HttpMethod: 'TRACE' }), 'Properties.HttpMethod'],
  [
    'a method that occurs twice',
    { ...BASE, Again: method('ANY', 'OpenProxy') },
    'Again (AWS::ApiGateway::Method): Properties.HttpMethod',
  ],
  [
    'two roots',
    { ...BASE, Odd: resource('odd', 'other') },
    'Odd (AWS::ApiGateway::Resource): Properties.ParentId',
  ],
  [
    'a path that occurs twice',
    { ...BASE, Odd: resource('open') },
    'Odd (AWS::ApiGateway::Resource): Properties.PathPart',
  ],
  [
    'two names for one parameter',
    { ...BASE, Odd: resource('{a+}', 'Open') },
    'Properties.PathPart collides with OpenProxy',
  ],
  [
    'a part after a greedy one',
    { ...BASE, Odd: resource('x', 'OpenProxy') },
    'Properties.PathPart must not follow',
  ],
  [
    'a part with a slash',
    { ...BASE, Odd: resource('a/b') },
    'Properties.PathPart is not a path part',
  ],
])('refuses %s, with the logical id and the property path', (_, resources, message) => {
  expect(refusal(resources)).toContain(message);
});
