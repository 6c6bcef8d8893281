/** As much of JSON Schema as the API uses. */
type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
};

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

type Operation = {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
};

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/**
 * Types of an OpenAPI document in the form that openapi-fetch takes. (openapi-typescript makes the same, but needs the
 * programming interface of TypeScript 5, which 7 does not have.)
 */
export function typesOf(document: Document): string {
  const paths = Object.entries(document.paths).map(([path, operations]) => {
    const entries = methods.map((method) => {
      const operation = operations[method];
      return operation ? `${method}: ${operationType(operation)};` : `${method}?: never;`;
    });
    return `${quoted(path)}: { parameters: None; ${entries.join(' ')} };`;
  });
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `    ${name}: ${typeOf(schema)};`,
  );
  return [
    '// Generated from docs/openapi.json. After a change: `npx vitest run test/openapi.test.ts -u`.',
    'type None = { query?: never; header?: never; path?: never; cookie?: never };',
    `export interface paths {\n${paths.map((line) => `  ${line}`).join('\n')}\n}`,
    `export interface components {\n  schemas: {\n${schemas.join('\n')}\n  };\n}`,
    '',
  ].join('\n');
}

function operationType({ parameters = [], requestBody, responses }: Operation): string {
  const places = ['query', 'header', 'path', 'cookie'].map((place) => {
    const here = parameters.filter((parameter) => parameter.in === place);
    const fields = here.map(
      ({ name, required, schema }) =>
        `${quoted(name)}${required === true ? '' : '?'}: ${typeOf(schema)};`,
    );
    const isNeeded = here.some(({ required }) => required === true);
    return fields.length === 0
      ? `${place}?: never;`
      : `${place}${isNeeded ? '' : '?'}: { ${fields.join(' ')} };`;
  });
  const body = requestBody && `requestBody: { content: ${contentType(requestBody.content)} };`;
  const answers = Object.entries(responses).map(
    ([status, { content }]) =>
      `${status}: { headers: { [name: string]: unknown }; content${
        content === undefined ? '?: never' : `: ${contentType(content)}`
      } };`,
  );
  return `{ parameters: { ${places.join(' ')} }; ${body ?? 'requestBody?: never;'} responses: { ${answers.join(' ')} } }`;
}

function contentType(content: Content): string {
  const kinds = Object.entries(content).map(
    ([kind, { schema }]) => `${quoted(kind)}: ${typeOf(schema)};`,
  );
  return `{ ${kinds.join(' ')} }`;
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined)
    return `components['schemas'][${quoted(schema.$ref.split('/').at(-1) ?? '')}]`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => literal(value)).join(' | ');
  const union = schema.anyOf ?? schema.oneOf;
  if (union !== undefined) return `(${union.map(typeOf).join(' | ')})`;
  if (schema.allOf !== undefined) return `(${schema.allOf.map(typeOf).join(' & ')})`;
  const kinds = [schema.type ?? 'any'].flat();
  return kinds.map((kind) => simpleType(kind, schema)).join(' | ');
}

function simpleType(kind: string, schema: Schema): string {
  switch (kind) {
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return kind;
    case 'array':
      return `(${typeOf(schema.items ?? {})})[]`;
    case 'object':
      return objectType(schema);
    default:
      return 'unknown';
  }
}

function objectType({ properties, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties ?? {}).map(
    ([name, schema]) => `${quoted(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)};`,
  );
  if (typeof additionalProperties === 'object')
    fields.push(`[name: string]: ${typeOf(additionalProperties)};`);
  return `{ ${fields.join(' ')} }`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value);
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}
