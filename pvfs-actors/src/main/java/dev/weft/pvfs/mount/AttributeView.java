package dev.weft.pvfs.mount;

import dev.weft.fabric.time.RealClock;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.client.IoTask;
import dev.weft.pvfs.fuse.FuseAttributes;
import dev.weft.pvfs.fuse.RefusedRequest;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.function.Function;

/** Attributes for the kernel: those of the manager, with length and times as this mount or the daemons know them. Any thread. */
final class AttributeView {
  private static final int BLOCK_BYTES = 512;
  /** Data takes space in such units, in a daemon's memory and on most disks. */
  private static final int TAKEN_BYTES = 4096;
  private static final long NOT_KNOWN = -1;
  private static final int TRANSFER_MIN = 4096;
  private static final int TRANSFER_MAX = 1 << 20;

  private final Function<MetaRequest, MetaReply> ask;
  private final DataClient data;
  private final MetadataCache cache;
  private final OpenFiles open;

  AttributeView(Function<MetaRequest, MetaReply> ask, DataClient data, MetadataCache cache, OpenFiles open) {
    this.ask = ask;
    this.data = data;
    this.cache = cache;
    this.open = open;
  }

  /**
   * Falls back to the manager's length if the daemons do not answer: the kernel asks again before it uses that length.
   *
   * @param isLengthOpen whether only the daemons know its length
   */
  FuseAttributes of(FileAttributes known, boolean isLengthOpen) {
    return of(known, isLengthOpen, known.bytes());
  }

  /** Returns the attributes of an answer. */
  FuseAttributes of(MetaReply answer) {
    return of(answer.attributes(), (answer.number() & MetaReply.LENGTH_OPEN) != 0);
  }

  /**
   * As {@link #of(FileAttributes, boolean)}, for a program that asked: with a wrong length it would continue in the wrong place.
   *
   * @throws RefusedRequest if the daemons do not answer
   */
  FuseAttributes sure(FileAttributes known, boolean isLengthOpen) {
    FuseAttributes found = of(known, isLengthOpen, NOT_KNOWN);
    if (found.sizeBytes() == NOT_KNOWN) {
      throw new RefusedRequest(Errno.EIO, "the daemons do not say how long file " + known.inode() + " is");
    }
    return found;
  }

  private FuseAttributes of(FileAttributes known, boolean isLengthOpen, long otherwise) {
    OpenFiles.Writing writing = known.isRegular() ? open.writing(known.inode()) : null;
    FileAttributes here = writing == null ? known : known.written(writing.wroteNs(), RealClock.wallNs());
    return known.isRegular() && (isLengthOpen || writing != null) ? asked(here, otherwise) : shown(here, here.bytes());
  }

  /** For a file that is being written: asks this mount, if it is the only writer, or the daemons for the length and time. */
  private FuseAttributes asked(FileAttributes known, long otherwise) {
    SoleWriter writer = cache.writer(known.inode());
    if (writer != null) {
      return shown(known, writer.bytes());
    }
    IoTask stat = data.stat(known.inode(), known.striping());
    if (stat.errno() != Errno.OK) {
      return shown(known, otherwise);
    }
    FileAttributes removed = stat.fileBytes() == 0 && known.links() == 0 ? removed(known.inode()) : null;
    return removed != null ? shown(removed, removed.bytes()) : shown(known.written(stat.wroteNs(), RealClock.wallNs()), stat.fileBytes());
  }

  /**
   * Returns the manager's attributes of a file without a name whose data went at its last close, while a program holds it by O_PATH. Null if it is
   * open.
   */
  private FileAttributes removed(long inode) {
    MetaReply now = ask.apply(MetaRequest.of(MetaOp.GETATTR, Caller.ROOT, inode));
    return now.errno() == Errno.OK && (now.number() & MetaReply.LENGTH_OPEN) == 0 ? now.attributes() : null;
  }

  /** Returns the length of a file that is being written; {@code otherwise} if the daemons do not answer. */
  long length(long inode, Striping striping, long otherwise) {
    SoleWriter writer = cache.writer(inode);
    if (writer != null) {
      return writer.bytes();
    }
    IoTask stat = data.stat(inode, striping);
    return stat.errno() == Errno.OK ? stat.fileBytes() : otherwise;
  }

  private static FuseAttributes shown(FileAttributes known, long bytes) {
    int stripe = known.striping() == null ? Striping.STRIPE_BYTES_DEFAULT : known.striping().stripeBytes();
    int blockBytes = Math.clamp(Integer.highestOneBit(stripe), TRANSFER_MIN, TRANSFER_MAX); // Programs use buffers of this size.
    int unit = known.striping() == null ? BLOCK_BYTES : TAKEN_BYTES;
    long blocks = (bytes + unit - 1) / unit * (unit / BLOCK_BYTES);
    return new FuseAttributes(known.inode(), known.mode(), known.links(), known.uid(), known.gid(), known.device(), bytes, blocks,
        blockBytes, known.atimeNs(), known.mtimeNs(), known.ctimeNs());
  }
}
