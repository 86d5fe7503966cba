package dev.weft.pvfs.mount;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.client.IoTask;
import dev.weft.pvfs.fuse.FuseAttributes;
import dev.weft.pvfs.fuse.RefusedRequest;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.FileAttributes;

/** Attributes as the kernel gets them: those of the manager, with what this mount or only the daemons know of length and time. Any thread. */
final class AttributeView {
  private static final int BLOCK_BYTES = 512;
  private static final long NOT_KNOWN = -1;
  private static final int TRANSFER_MIN = 4096;
  private static final int TRANSFER_MAX = 1 << 20;

  private final DataClient data;
  private final MetadataCache cache;
  private final OpenFiles open;

  AttributeView(DataClient data, MetadataCache cache, OpenFiles open) {
    this.data = data;
    this.cache = cache;
    this.open = open;
  }

  /**
   * With the length that the manager has where the daemons do not say it: the kernel asks for the attributes before it uses that.
   *
   * @param isLengthOpen whether only the daemons know its length
   */
  FuseAttributes of(FileAttributes known, boolean isLengthOpen) {
    return of(known, isLengthOpen, known.bytes());
  }

  /**
   * The same for who has asked for them: with another length than its own a program would go on in the wrong place.
   *
   * @throws RefusedRequest if the daemons do not say it
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
    boolean isAsked = known.isRegular() && (isLengthOpen || writing != null);
    return of(known, isAsked ? length(known.inode(), known.striping(), otherwise) : known.bytes(), writing == null ? 0 : writing.wroteNs());
  }

  /** The length of a file that is being written; {@code otherwise} if the daemons do not say it. */
  long length(long inode, Striping striping, long otherwise) {
    SoleWriter writer = cache.writer(inode);
    if (writer != null) {
      return writer.bytes();
    }
    IoTask stat = data.stat(inode, striping);
    return stat.errno() == Errno.OK ? stat.fileBytes() : otherwise;
  }

  private static FuseAttributes of(FileAttributes known, long bytes, long wroteNs) {
    int stripe = known.striping() == null ? Striping.STRIPE_BYTES_DEFAULT : known.striping().stripeBytes();
    int blockBytes = Math.clamp(Integer.highestOneBit(stripe), TRANSFER_MIN, TRANSFER_MAX); // Programs take buffers of this size.
    return new FuseAttributes(known.inode(), known.mode(), known.links(), known.uid(), known.gid(), 0, bytes, (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES,
        blockBytes, known.atimeNs(), later(known.mtimeNs(), wroteNs), later(known.ctimeNs(), wroteNs));
  }

  private static long later(long knownNs, long wroteNs) {
    return wroteNs == 0 ? knownNs : Math.max(knownNs, wroteNs);
  }
}
