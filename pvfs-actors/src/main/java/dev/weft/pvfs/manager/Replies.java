package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Capability;
import dev.weft.pvfs.wire.DirectoryPage;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.Grant;
import dev.weft.pvfs.wire.MetaReply;
import java.util.List;

/** Makes answers from results of the name space. One thread. */
final class Replies {
  private static final byte[] NOTHING = {};

  private final Writers writers;
  private final Capabilities capabilities;
  private final long lifetimeNs;

  /** @param lifetimeNs of a capability */
  Replies(Writers writers, Capabilities capabilities, long lifetimeNs) {
    this.writers = writers;
    this.capabilities = capabilities;
    this.lifetimeNs = lifetimeNs;
  }

  /** Answers with the attributes of a file, or with an error. */
  MetaReply file(long id, Result<Inode> result) {
    if (!result.isOk()) {
      return MetaReply.failed(id, result.errno());
    }
    Inode inode = result.value();
    return new MetaReply(id, Errno.OK, attributes(inode), isLengthOpen(inode) ? MetaReply.LENGTH_OPEN : 0, NOTHING);
  }

  /** Whether only the daemons know its length. */
  private boolean isLengthOpen(Inode inode) {
    return inode.isRegular() && writers.mayWrite(inode.number());
  }

  static FileAttributes attributes(Inode inode) {
    return new FileAttributes(inode.number(), inode.type().modeBits() | inode.mode(), inode.uid(), inode.gid(), inode.links(), inode.sizeHint(),
        inode.atimeNs(), inode.mtimeNs(), inode.ctimeNs(), inode.striping(), inode.device(), inode.timedNs());
  }

  static MetaReply nothing(long id, Result<Void> result) {
    return MetaReply.failed(id, result.errno());
  }

  static MetaReply bytes(long id, Result<byte[]> result) {
    return result.isOk() ? MetaReply.of(id, 0, result.value()) : MetaReply.failed(id, result.errno());
  }

  /** Answers with as many entries of a directory as fit into so many bytes. */
  MetaReply page(long id, Result<List<DirEntry>> result, int bytes) {
    if (!result.isOk()) {
      return MetaReply.failed(id, result.errno());
    }
    DirectoryPage page = new DirectoryPage(bytes);
    for (DirEntry entry : result.value()) {
      if (!page.add(new DirectoryPage.Entry(entry.cookie(), entry.name(), attributes(entry.attributes()), isLengthOpen(entry.attributes())))) {
        break;
      }
    }
    return MetaReply.of(id, 0, page.encode());
  }

  /**
   * Adds a capability for all that a session may do with a file.
   *
   * @param access with which the session has it open
   */
  MetaReply granted(long id, Result<Inode> result, long session, int access) {
    if (!result.isOk() || !result.value().isRegular()) {
      return file(id, result);
    }
    Inode inode = result.value();
    Grant grant = capabilities.grant(inode.number(), access & Capability.ACCESS_MASK, session, lifetimeNs);
    return new MetaReply(id, Errno.OK, attributes(inode), isLengthOpen(inode) ? 1 : 0, NOTHING, grant);
  }
}
