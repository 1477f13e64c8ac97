import { generate } from 'selfsigned';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const elliptic = { keyType: 'ec', algorithm: 'sha256' } as const;

export async function certificateAuthority(name = 'test-ca'): Promise<Certificate> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    ...elliptic,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
    ],
  });
  return { cert, key };
}

/**
 * Returns a certificate for a client or a server with this name. The name is a host name or
 * `127.0.0.1`.
 */
export async function signedBy(ca: Certificate, name: string, validUntil?: Date): Promise<Certificate> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    ...elliptic,
    ca,
    ...(validUntil && { notBeforeDate: new Date(0), notAfterDate: validUntil }),
    extensions: [
      { name: 'basicConstraints', cA: false },
      {
        name: 'subjectAltName',
        altNames: name === '127.0.0.1' ? [{ type: 7, ip: '127.0.0.1' }] : [{ type: 2, value: name }],
      },
    ],
  });
  return { cert, key };
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
