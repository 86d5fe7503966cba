package dev.weft.hca.verbs;

import dev.weft.fabric.Check;

/**
 * The binding of a memory window, as {@code ibv_mw_bind_info}. It is checked when the request is executed: see MW_BIND_ERR in
 * docs/reference/verbs.md.
 *
 * @param window the window
 * @param rkey the new key; for type 1, {@link Hca#bindMw} draws it
 * @param region the region, registered with {@link Access#MW_BIND}
 * @param addr first address, in the region's address space
 * @param length length in bytes; 0 unbinds a window of type 1
 * @param access remote rights, and {@link Access#ZERO_BASED} for addresses that start at 0 (type 2 only)
 */
public record MwBind(MemoryWindow window, int rkey, MemoryRegion region, long addr, long length, int access) {
  public MwBind {
    Check.given("window", window);
    Check.given("region", region);
  }
}
