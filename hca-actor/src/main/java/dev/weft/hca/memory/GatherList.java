package dev.weft.hca.memory;

import dev.weft.fabric.packet.CopyCounter;
import dev.weft.fabric.packet.Payload;
import dev.weft.hca.verbs.SgList;
import java.lang.foreign.MemorySegment;

/** Extracts ranges of scatter/gather lists whose regions are resolved. */
public final class GatherList {
  private GatherList() {}

  /** Returns a payload that refers to {@code count} bytes of the list from {@code offset}, without a copy. */
  public static Payload payload(SgList list, Mr[] regions, long offset, int count) {
    int i = 0;
    long skip = offset;
    while (skip >= list.length(i)) {
      skip -= list.length(i++);
    }
    return piece(list, regions, i, skip, count);
  }

  private static Payload piece(SgList list, Mr[] regions, int i, long skip, int count) {
    int index = i;
    while (list.length(index) == 0) {
      index++;
    }
    int here = (int) Math.min(count, list.length(index) - skip);
    long from = list.address(index) + skip - regions[index].addr();
    if (here == count) {
      return Payload.of(regions[index].segment(), from, here, null, null, regions[index].loan());
    }
    return Payload.of(regions[index].segment(), from, here, piece(list, regions, index + 1, 0, count - here), null, regions[index].loan());
  }

  /** Copies a payload into the list from {@code offset}. */
  static void scatter(Payload payload, SgList list, Mr[] regions, long offset, CopyCounter copies) {
    int i = 0;
    long skip = offset;
    int done = 0;
    int left = payload.length();
    while (left > 0) {
      if (skip >= list.length(i)) {
        skip -= list.length(i++);
        continue;
      }
      int here = (int) Math.min(left, list.length(i) - skip);
      MemorySegment target = regions[i].segment();
      long to = list.address(i) + skip - regions[i].addr();
      if (done == 0 && here == left) {
        payload.copyTo(target, to, copies);
      } else {
        payload.copyTo(done, target, to, here, copies);
      }
      done += here;
      left -= here;
      skip += here;
    }
  }
}
