import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where Debian's libnginx-mod-http-js puts its module; without it the rows with njs are left out. */
const njsModule = process.env.NJS_MODULE ?? '/usr/lib/nginx/modules/ngx_http_js_module.so';
export const hasNjs = existsSync(njsModule);

/** Writes what nginx needs to `folder`, playlists and segments included; gives the path of its configuration. */
export function writeNginx(folder, { port, tls, authPort, originPort, playlists, passes }) {
  for (const [name, text] of Object.entries(playlists))
    writeFileSync(join(folder, `${name}.m3u8`), text);
  for (const mb of [1, 4]) writeFileSync(join(folder, `${mb}.ts`), Buffer.alloc(mb * 2 ** 20, 71));
  const { secret, claims } = passes;
  const pieces = playlists.multivariant.split(/(?<=pass=)[\w.-]+/);
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ secret, claims, pieces }));
  const script = readFileSync(new URL('./passes.njs', import.meta.url), 'utf8');
  writeFileSync(join(folder, 'passes.js'), script.replace('FOLDER', folder));
  const path = join(folder, 'nginx.conf');
  writeFileSync(path, configuration(folder, { port, tls, authPort, originPort }));
  return path;
}

function configuration(folder, { port, tls, authPort, originPort }) {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const listen = tls
    ? `listen 127.0.0.1:${port} ssl; ssl_certificate ${tls.cert}; ssl_certificate_key ${tls.key};`
    : `listen 127.0.0.1:${port};`;
  return `${hasNjs ? `load_module ${njsModule};` : ''}
daemon off; worker_processes 1; master_process off; error_log ${folder}/error.log; pid ${folder}/pid;
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; open_file_cache max=100;
  types { application/vnd.apple.mpegurl m3u8; video/mp2t ts; }
  ${temporary.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
  ${hasNjs ? `js_path ${folder}; js_import passes from passes.js;` : ''}
  upstream auth { server 127.0.0.1:${authPort}; keepalive 64; }
  upstream origin { server 127.0.0.1:${originPort}; keepalive 64; }
  server {
    ${listen}
    root ${folder};
    location = /redirect { return 302 http://node-b.example.net/ch1/index.m3u8; }
    location = /missing { return 404; }
    location = /asked { auth_request /check; rewrite ^ /media.m3u8 break; }
    location = /check {
      internal; proxy_pass http://auth; proxy_http_version 1.1; proxy_pass_request_body off;
      proxy_set_header Connection ""; proxy_set_header X-Original-URI $request_uri;
    }
    location /origin/ { proxy_pass http://origin/; proxy_http_version 1.1; proxy_set_header Connection ""; }
    ${hasNjs ? 'location = /verified { js_content passes.verified; } location = /signed { js_content passes.signed; }' : ''}
  }
}`;
}
