package dev.weft.pvfs.fuse;

/** How long answers let the kernel cache, by the options of a mount. */
record CachePolicy(CacheMode mode, long entryValidNs, long attributesValidNs) {
  long entryValid(long wantedNs) {
    return valid(wantedNs, entryValidNs);
  }

  long attributesValid(long wantedNs) {
    return valid(wantedNs, attributesValidNs);
  }

  private long valid(long wantedNs, long usualNs) {
    if (mode == CacheMode.NONE) {
      return 0;
    }
    return wantedNs < 0 ? usualNs : wantedNs;
  }

  int fileFlags(boolean keepsCache, boolean isDirect) {
    if (mode != CacheMode.FULL || isDirect) {
      return Protocol.FOPEN_DIRECT_IO | Protocol.FOPEN_PARALLEL_DIRECT_WRITES;
    }
    return keepsCache ? Protocol.FOPEN_KEEP_CACHE : 0;
  }

  int directoryFlags(boolean keepsCache) {
    if (mode != CacheMode.FULL) {
      return 0;
    }
    return Protocol.FOPEN_CACHE_DIR | (keepsCache ? Protocol.FOPEN_KEEP_CACHE : 0);
  }
}
