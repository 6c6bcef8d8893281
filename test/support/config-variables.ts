import { z } from 'zod';
import { variables } from '../../src/config-variables.ts';

const words = z.object({
  meaning: z.string(),
  unit: z.string().optional(),
  default: z.string(),
  isSet: z.boolean(),
});

/** Every variable of the schema in its order; `isSet` tells whether `default` is a value or words for having none. */
export const configVariables = Object.entries(variables).map(([name, variable]) => ({
  name,
  ...words.parse(variable.meta()),
}));
