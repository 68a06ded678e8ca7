/** The rows of a variable as a table; each row is read when it comes into view. */
import type { Reader } from "./Reader.ts"
import { Rows } from "./Rows.tsx"

export const Live = ({ reader }: { readonly reader: Reader }) => {
  const table = reader.table.value
  return (
    <>
      {reader.problem.value !== "" && <p role="alert">{reader.problem.value}</p>}
      {table !== undefined && (
        <Rows
          columns={table.columns}
          rows={table.rows}
          pages={reader.pages}
          head={table.columns.map((name) => (
            <th key={name} scope="col" class="name">
              {name}
            </th>
          ))}
        />
      )}
    </>
  )
}
