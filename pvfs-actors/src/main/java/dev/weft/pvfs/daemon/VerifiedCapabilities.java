package dev.weft.pvfs.daemon;

import dev.weft.pvfs.wire.Capability;
import java.util.Arrays;
import org.agrona.collections.Long2ObjectHashMap;

/** Capabilities of one connection whose signatures were valid, so they are not computed for each request. Bound: {@link #MAX}. One thread. */
final class VerifiedCapabilities {
  static final int MAX = 256;

  private record Verified(byte[] shown, Capability capability) {}

  private final Long2ObjectHashMap<Verified> byObject = new Long2ObjectHashMap<>();

  /** Returns null unless these bytes were the last valid ones for the object. */
  Capability find(long object, byte[] shown) {
    Verified found = byObject.get(object);
    return found != null && Arrays.equals(found.shown, shown) ? found.capability : null;
  }

  void add(long object, byte[] shown, Capability capability) {
    if (byObject.size() >= MAX) {
      byObject.clear();
    }
    byObject.put(object, new Verified(shown.clone(), capability));
  }
}
