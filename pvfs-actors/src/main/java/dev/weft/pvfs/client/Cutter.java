package dev.weft.pvfs.client;

import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.types.Shape;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonRequest;
import dev.weft.pvfs.wire.ShapedRanges;
import java.util.List;

/** Cuts the data of a task into requests to the daemons of its file, each time as much as may be under way. */
final class Cutter {
  private Cutter() {}

  /**
   * Cuts the next {@code bytes}, or the rest.
   *
   * @param requestBytes maximum data of one request
   * @param to gets the requests
   */
  static void cut(IoTask task, long bytes, int requestBytes, List<DaemonTask> to) {
    Striping striping = task.striping;
    DaemonTask[] open = new DaemonTask[striping.count()];
    long left = bytes;
    task.skipWhole();
    while (!task.isCut() && left > 0) {
      long offset = task.offsets[task.range] + task.rangeDone;
      int slot = striping.slotOf(offset);
      long most = Math.min(Math.min(task.lengths[task.range] - task.rangeDone, task.memory[task.segment].byteSize() - task.segmentDone), left);
      int piece = (int) Math.min(Math.min(most, striping.restOfStripe(offset)), requestBytes);
      if (open[slot] == null) {
        open[slot] = new DaemonTask(task, task.op, slot);
      }
      if (!add(open[slot], striping.localOf(offset), piece, task, requestBytes)) {
        to.add(open[slot]);
        open[slot] = null; // The piece begins the next request.
        continue;
      }
      task.advance(piece);
      left -= piece;
    }
    for (DaemonTask last : open) {
      if (last != null) {
        to.add(last);
      }
    }
  }

  /**
   * Cuts the next part of a task with a shape. All requests of the part carry the same shape, and each daemon finds its own ranges. The part ends
   * when one request is full or daemons would visit too many blocks.
   */
  static void cutShape(IoTask task, long bytes, int requestBytes, List<DaemonTask> to) {
    Striping striping = task.striping;
    DaemonTask[] open = new DaemonTask[striping.count()];
    task.skipWhole();
    long position = task.shapePosition();
    Shape.Walk walk = task.shape().walk(position);
    long done = 0;
    for (int steps = 0; !task.isCut() && done < bytes && steps < ShapedRanges.STEPS_MAX; steps++) {
      long offset = walk.offset();
      int slot = striping.slotOf(offset);
      long most = Math.min(Math.min(bytes - done, requestBytes), task.lengths[task.range] - task.rangeDone);
      int piece = ShapedRanges.piece(striping, walk, most);
      if (open[slot] == null) {
        open[slot] = new DaemonTask(task, task.op, slot, ShapedRanges.PIECES_MAX);
      }
      if (!add(open[slot], striping.localOf(offset), piece, task, requestBytes)) {
        break; // The piece begins the next part.
      }
      task.advance(piece);
      walk.advance(piece);
      done += piece;
    }
    for (DaemonTask part : open) {
      if (part != null && part.file.count() > 0) {
        part.shaped = new ShapedRanges(task.shape(), position, done, part.slot, striping.count(), striping.stripeBytes(), 0, 0);
        to.add(part);
      }
    }
  }

  /** Makes requests that punch holes for the ranges of a task, however long: ranges of one daemon are adjacent in its local object. */
  static void cutHoles(IoTask task, List<DaemonTask> to) {
    for (int slot = 0; slot < task.striping.count(); slot++) {
      DaemonTask open = new DaemonTask(task, task.op, slot);
      long from = 0;
      long end = 0;
      for (int range = 0; range < task.offsets.length; range++) {
        long local = task.striping.localBytes(slot, task.offsets[range]);
        long localEnd = task.striping.localBytes(slot, task.offsets[range] + task.lengths[range]);
        if (local < from || local > end) {
          open = withHole(open, from, end, to);
          from = local;
          end = localEnd;
        }
        end = Math.max(end, localEnd);
      }
      open = withHole(open, from, end, to);
      if (open.file.count() > 0) {
        to.add(open);
      }
    }
  }

  /** Returns the request that takes the hole: this one, or a new one if this one is full. */
  private static DaemonTask withHole(DaemonTask open, long from, long end, List<DaemonTask> to) {
    if (from == end || DaemonRequest.addHole(open.file, from, end)) {
      return open;
    }
    to.add(open);
    DaemonTask next = new DaemonTask(open.task, open.op, open.slot);
    DaemonRequest.addHole(next.file, from, end);
    return next;
  }

  private static boolean add(DaemonTask request, long local, int bytes, IoTask task, int requestBytes) {
    if (request.file.isFull() || request.memory.isFull() || request.file.totalBytes() + bytes > requestBytes) {
      return false;
    }
    if (task.op == DaemonOp.WRITE && request.file.touches(local, bytes)) {
      return false; // The checksum covers what was sent. If bytes occur twice, memory holds something else in the end.
    }
    request.file.add(local, bytes);
    request.memory.add(task.segmentDone, bytes, task.segment);
    return true;
  }
}
