package dev.weft.hca.verbs;

import dev.weft.fabric.Check;

/**
 * What a memory window is to be bound to, as {@code ibv_mw_bind_info}. Checked when the request is executed: see MW_BIND_ERR in
 * docs/reference/verbs.md.
 *
 * @param window the window
 * @param rkey the key it is to have; type 1: drawn by {@link Hca#bindMw}
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
