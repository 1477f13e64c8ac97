import type { ServerResponse } from 'node:http';
import type { KubernetesStatus } from 'rx-informers/client';
import { dataHeaders } from './protective-headers.js';

/** An answer of this server itself, used if the API server has not answered. */
export interface Failure {
  readonly code: keyof typeof reasons;
  readonly message: string;
}

/** The reasons as apimachinery names them. It has no name for 502. */
const reasons = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  429: 'TooManyRequests',
  500: 'InternalError',
  502: 'BadGateway',
  504: 'Timeout',
} as const;

/**
 * Answers with a Kubernetes `Status`. If an answer has already begun, closes the connection.
 *
 * @param allow the allowed methods, for the code 405
 */
export function answerWithFailure(response: ServerResponse, { code, message }: Failure, allow = 'GET, HEAD'): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const status: KubernetesStatus = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message,
    reason: reasons[code],
    code,
  };
  answerWithJson(response, code, status, code === 405 ? { allow } : {});
}

/** Answers with JSON from this server itself. */
export function answerWithJson(
  response: ServerResponse,
  code: number,
  value: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = Buffer.from(`${JSON.stringify(value)}\n`);
  response.writeHead(code, {
    ...dataHeaders,
    'content-type': 'application/json',
    'content-length': body.length,
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(body);
}
