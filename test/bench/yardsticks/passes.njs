// For nginx: verifies a pass and serves a file, or signs two into a playlist. `settings.json` stands beside it.
import crypto from 'crypto';
import fs from 'fs';

var settings = JSON.parse(fs.readFileSync('FOLDER/settings.json'));
var head = Buffer.from('{"alg":"HS256","typ":"pass+jwt","kid":"1-key"}').toString('base64url');

function signatureOf(input) {
  return crypto.createHmac('sha256', settings.secret).update(input).digest('base64url');
}

function verified(r) {
  var parts = (r.args.pass || '').split('.');
  if (parts.length !== 3 || signatureOf(parts[0] + '.' + parts[1]) !== parts[2]) return r.return(403);
  var claims = JSON.parse(Buffer.from(parts[1], 'base64url').toString());
  if (claims.exp < Date.now() / 1000 || claims.aud.indexOf('a') < 0) return r.return(403);
  r.internalRedirect('/media.m3u8');
}

function sign(aud) {
  var claims = Object.assign({}, settings.claims, { aud: aud, sub: '' + Math.random() });
  var input = head + '.' + Buffer.from(JSON.stringify(claims)).toString('base64url');
  return input + '.' + signatureOf(input);
}

function signed(r) {
  var passes = [sign(['b']), sign(['c'])];
  var text = settings.pieces[0];
  for (var i = 1; i < settings.pieces.length; i++) text += passes[i % 2] + settings.pieces[i];
  r.headersOut['Content-Type'] = 'application/vnd.apple.mpegurl';
  r.headersOut['Cache-Control'] = 'private, no-store';
  r.return(200, text);
}

export default { verified, signed };
