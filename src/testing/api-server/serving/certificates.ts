/** A server certificate for the loopback interface, and the authority that signed it. */
export interface Certificates {
  readonly key: string;
  readonly cert: string;
  readonly ca: string;
}

/** Makes an authority and a certificate that nobody else trusts; PEM. */
export async function generateCertificates(): Promise<Certificates> {
  const { generate } = await import('selfsigned');
  const authority = await generate([{ name: 'commonName', value: 'rx-informers-ca' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const server = await generate([{ name: 'commonName', value: 'kube-apiserver' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  return { key: server.private, cert: server.cert, ca: authority.cert };
}
