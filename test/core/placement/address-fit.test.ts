import { describe, expect, it } from 'vitest';
import type { NodeFacts } from '../../../src/core/group/node.ts';
import { fitPlace, isSamePlace, placesOf } from '../../../src/core/placement/address-fit.ts';
import type { Viewer } from '../../../src/core/viewer/viewer.ts';
import { aNode, aViewer } from '../../support/builders.ts';

const publicViewer = aViewer();
const localViewer = aViewer({ address: '192.168.7.7', isPublic: false });
const sameMachine = aViewer({ address: '127.0.0.1', isPublic: false });

type Where = { publicUrl?: string | undefined; addresses?: readonly string[] };

function baseFor(where: Where, viewer: Viewer = publicViewer, purpose?: 'backup' | 'redirect') {
  return baseBeside(aNode({ id: 'node-a' }), where, viewer, purpose);
}

function baseBeside(
  self: NodeFacts,
  { publicUrl, addresses = [] }: Where,
  viewer: Viewer = publicViewer,
  purpose: 'backup' | 'redirect' = 'backup',
) {
  const node = placesOf(aNode({ id: 'node-b', publicUrl, addresses }));
  const found = fitPlace({ viewer, node, self: placesOf(self), purpose });
  return found.kind === 'fit' ? found.place.base : found.reason;
}

describe('where a viewer finds a node', () => {
  it('is its public URL, as a base that ends with a slash', () => {
    expect(baseFor({ publicUrl: 'http://node-b.example.net' })).toBe('http://node-b.example.net/');
    expect(baseFor({ publicUrl: 'http://node-b.example.net:8080/' })).toBe(
      'http://node-b.example.net:8080/',
    );
    expect(
      baseFor({ publicUrl: 'http://[2001:db8::7]:8080' }, aViewer({ address: '2001:db8::9' })),
    ).toBe('http://[2001:db8::7]:8080/');
  });

  it('is never one of its addresses when it declares a public URL', () => {
    const addresses = ['198.51.100.7:8080'];
    expect(baseFor({ publicUrl: 'http://10.0.0.7:8080', addresses })).toBe('address-private');
    expect(baseFor({ publicUrl: 'ftp://node-b.example.net', addresses })).toBe('address-missing');
    expect(baseFor({ publicUrl: 'nonsense', addresses })).toBe('address-missing');
  });

  it('is nowhere when the node announces nothing that can be used', () => {
    expect(baseFor({ addresses: [] })).toBe('address-missing');
    expect(
      baseFor({ addresses: ['0.0.0.0:8080', '[fe80::1]:8080', '169.254.1.1:8080', 'x y'] }),
    ).toBe('address-missing');
  });

  it('is a private address before a public one inside the network, and the other machine never by loopback', () => {
    const addresses = ['127.0.0.1:8080', '198.51.100.7:8080', '192.168.7.2:8080'];
    expect(baseFor({ addresses }, localViewer)).toBe('http://192.168.7.2:8080/');
    expect(baseFor({ addresses: addresses.slice(0, 2) }, localViewer)).toBe(
      'http://198.51.100.7:8080/',
    );
    expect(baseFor({ addresses: addresses.slice(0, 1) }, localViewer)).toBe('address-unusable');
    expect(baseFor({ addresses: addresses.slice(0, 1) }, sameMachine)).toBe(
      'http://127.0.0.1:8080/',
    );
  });

  it('is an address of the IP version the viewer came by', () => {
    const addresses = ['[2001:db8::7]:8080', '198.51.100.7:8080'];
    expect(baseFor({ addresses })).toBe('http://198.51.100.7:8080/');
    expect(baseFor({ addresses }, aViewer({ address: '2001:db8::9' }))).toBe(
      'http://[2001:db8::7]:8080/',
    );
    expect(baseFor({ addresses: addresses.slice(0, 1) })).toBe('address-unusable');
  });

  it('is never a private or loopback address for a public viewer, also not as public URL', () => {
    for (const literal of ['10.0.0.7', '127.0.0.1', '[fd00::7]', '[::1]', '100.64.0.1']) {
      expect(baseFor({ publicUrl: `http://${literal}:8080` })).toBe('address-private');
      expect(baseFor({ addresses: [`${literal}:8080`] })).toBe('address-private');
    }
  });
});

describe('the scheme', () => {
  const https = aViewer({ isHttps: true });
  const secure = { publicUrl: 'https://node-b.example.net' };
  const plain = { publicUrl: 'http://node-b.example.net' };

  it('of everything an https viewer is given is https', () => {
    for (const purpose of ['backup', 'redirect'] as const) {
      expect(baseFor(secure, https, purpose)).toBe('https://node-b.example.net/');
      expect(baseFor(plain, https, purpose)).toBe('address-insecure');
      expect(baseFor({ addresses: ['198.51.100.7:443'] }, https, purpose)).toBe('address-insecure');
    }
  });

  it('is kept by a redirect, while the backups of an http viewer may be https', () => {
    expect(baseFor(secure, publicViewer, 'backup')).toBe('https://node-b.example.net/');
    expect(baseFor(secure, publicViewer, 'redirect')).toBe('address-scheme');
  });
});

describe('a place that another node has too', () => {
  it('is never that of the answering node', () => {
    const self = aNode({ publicUrl: 'http://tv.example.net', addresses: ['127.0.0.1:8080'] });
    expect(baseBeside(self, { publicUrl: 'http://TV.example.net:80/' })).toBe('address-same');
    expect(baseBeside(self, { addresses: ['127.0.0.1:8080'] }, sameMachine)).toBe('address-same');
    expect(baseBeside(self, { addresses: ['127.0.0.1:8081'] }, sameMachine)).toBe(
      'http://127.0.0.1:8081/',
    );
  });

  it('is passed over for an address of its own: container bridges repeat on every machine', () => {
    const self = aNode({ publicUrl: undefined, addresses: ['172.17.0.1:80', '192.168.7.1:80'] });
    const addresses = ['172.17.0.1:80', '192.168.7.2:80'];
    expect(baseBeside(self, { addresses }, localViewer)).toBe('http://192.168.7.2/');
  });

  const same = (a: Where, b: Where) => {
    const [first, second] = [a, b].map(({ publicUrl, addresses = [] }) => {
      const places = placesOf(aNode({ publicUrl, addresses }));
      const [place] = places.places;
      return place && { place, places };
    });
    return first && second && isSamePlace(first, second);
  };

  it.each<[boolean, string, Where, Where]>([
    [true, 'one name and port', { publicUrl: 'http://a.net' }, { publicUrl: 'http://a.net:80' }],
    [false, 'one name, two ports', { publicUrl: 'http://a.net' }, { publicUrl: 'http://a.net:81' }],
    [
      true,
      'one IP, two ports',
      { publicUrl: 'http://1.1.1.1' },
      { publicUrl: 'http://1.1.1.1:81' },
    ],
    [
      true,
      'one IP in two spellings',
      { publicUrl: 'http://[2001:db8::1]' },
      { addresses: ['[2001:db8:0::0:1]:8080'] },
    ],
    [
      false,
      'loopback, as on a desk, with two ports',
      { publicUrl: 'http://127.0.0.1:81' },
      { publicUrl: 'http://127.0.0.1:82' },
    ],
    [
      true,
      'two names of one public IP',
      { publicUrl: 'http://b1.net', addresses: ['198.51.100.7:8080'] },
      { publicUrl: 'http://b2.net', addresses: ['198.51.100.7:8081', '10.0.0.1:8081'] },
    ],
    [
      false,
      'an anycast address beside their own',
      { publicUrl: 'http://b1.net', addresses: ['1.1.1.1:80', '198.51.100.7:80'] },
      { publicUrl: 'http://b2.net', addresses: ['1.1.1.1:80', '198.51.100.8:80'] },
    ],
    [
      false,
      'one private address at two sites',
      { publicUrl: 'http://b1.net', addresses: ['10.0.0.1:80'] },
      { publicUrl: 'http://b2.net', addresses: ['10.0.0.1:80'] },
    ],
    [false, 'nothing in common', { publicUrl: 'http://b1.net' }, { publicUrl: 'http://b2.net' }],
  ])('is seen (%s) for %s', (expected, _name, a, b) => {
    expect(same(a, b)).toBe(expected);
    expect(same(b, a)).toBe(expected);
  });
});
