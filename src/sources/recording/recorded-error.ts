import { messageOf } from '../../kubernetes/message-of.js';
import type { KubernetesStatus } from '../../kubernetes/status.js';
import { asExpected } from '../reflector/failure.js';
import {
  BookmarkDeadlineError,
  ConnectionError,
  CredentialsError,
  DecodeError,
  EarlyCloseError,
  ResponseError,
  SilentConnectionError,
  StatusError,
  TransformError,
  InvalidEventError,
  UnexpectedSourceError,
  type RequestLine,
  type SourceError,
} from '../source-error.js';

/**
 * An error by its type and its fields; `cause` is the message of the cause, `expected` is left out
 * if false.
 */
export type RecordedError = RecordedFields & { readonly expected?: true };

type RecordedFields =
  | {
      readonly name: 'StatusError';
      readonly request: RequestLine;
      readonly status: KubernetesStatus;
      readonly code: number;
      readonly retryAfter?: number | undefined;
    }
  | { readonly name: 'ConnectionError'; readonly request: RequestLine; readonly cause: string; readonly code: string }
  | { readonly name: 'CredentialsError'; readonly request: RequestLine; readonly cause: string }
  | {
      readonly name: 'SilentConnectionError';
      readonly request: RequestLine;
      readonly waitedFor: 'headers' | 'data';
      readonly silence: number;
    }
  | { readonly name: 'EarlyCloseError'; readonly request: RequestLine; readonly times: number }
  | { readonly name: 'ResponseError'; readonly request: RequestLine; readonly problem: string; readonly body: string }
  | {
      readonly name: 'DecodeError';
      readonly request: RequestLine;
      readonly problem: string;
      readonly line: string;
      readonly byteLength: number;
    }
  | { readonly name: 'TransformError'; readonly key: string; readonly problem: string }
  | { readonly name: 'BookmarkDeadlineError'; readonly request: RequestLine; readonly deadline: number }
  | { readonly name: 'InvalidEventError'; readonly problem: string }
  | { readonly name: 'UnexpectedSourceError'; readonly cause: string; readonly problem?: string };

/** @returns what `JSON.stringify` keeps everything of */
export function encodeError(error: SourceError): RecordedError {
  return { ...fieldsOf(error), ...(error.expected && { expected: true }) };
}

function fieldsOf(error: SourceError): RecordedFields {
  switch (error.name) {
    case 'StatusError': {
      const { name, request, status, statusCode: code, retryAfter } = error;
      return { name, request, status, code, retryAfter };
    }
    case 'ConnectionError':
      return { name: error.name, request: error.request, cause: messageOf(error.cause), code: error.causeCode };
    case 'CredentialsError':
      return { name: error.name, request: error.request, cause: messageOf(error.cause) };
    case 'SilentConnectionError': {
      const { name, request, waitedFor, silence } = error;
      return { name, request, waitedFor, silence };
    }
    case 'EarlyCloseError':
      return { name: error.name, request: error.request, times: error.times };
    case 'ResponseError': {
      const { name, request, problem, body } = error;
      return { name, request, problem, body };
    }
    case 'DecodeError': {
      const { name, request, problem, line, byteLength } = error;
      return { name, request, problem, line, byteLength };
    }
    case 'TransformError':
      return { name: error.name, key: error.key, problem: error.problem };
    case 'BookmarkDeadlineError':
      return { name: error.name, request: error.request, deadline: error.deadline };
    case 'InvalidEventError':
      return { name: error.name, problem: error.problem };
    case 'UnexpectedSourceError':
      return { name: error.name, cause: messageOf(error.cause), problem: error.problem };
  }
  return error satisfies never;
}

export function decodeError(recorded: RecordedError): SourceError {
  const error = errorOf(recorded);
  return recorded.expected ? asExpected(error) : error;
}

function errorOf(recorded: RecordedFields): SourceError {
  switch (recorded.name) {
    case 'StatusError':
      return new StatusError(recorded.request, recorded.status, recorded);
    case 'ConnectionError':
      return new ConnectionError(recorded.request, new Error(recorded.cause), recorded.code);
    case 'CredentialsError':
      return new CredentialsError(recorded.request, new Error(recorded.cause));
    case 'SilentConnectionError':
      return new SilentConnectionError(recorded.request, recorded.waitedFor, recorded.silence);
    case 'EarlyCloseError':
      return new EarlyCloseError(recorded.request, recorded.times);
    case 'ResponseError':
      return new ResponseError(recorded.request, recorded.problem, recorded.body);
    case 'DecodeError':
      return new DecodeError(recorded.request, recorded.problem, recorded.line, recorded.byteLength);
    case 'TransformError':
      return new TransformError(recorded.key, recorded.problem);
    case 'BookmarkDeadlineError':
      return new BookmarkDeadlineError(recorded.request, recorded.deadline);
    case 'InvalidEventError':
      return new InvalidEventError(undefined, recorded.problem);
    case 'UnexpectedSourceError':
      return new UnexpectedSourceError(new Error(recorded.cause), recorded.problem);
  }
  return recorded satisfies never;
}
