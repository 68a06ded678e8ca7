/** Sets a key as the latest of a map with at most `most` keys. The key that was set longest ago is dropped beyond that. */
export const setLatest = <Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void => {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most) map.delete(oldest!)
}
