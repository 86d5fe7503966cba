package dev.weft.pvfs.files;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.wire.DirectoryPage;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Operations on names that do not wait: the calls of {@link PvfsFileSystem} with the same names. Stages complete on threads of the common pool. They
 * fail with a {@link PvfsException}: EAGAIN if the maximum number of operations is under way, ESHUTDOWN if the file system is closed. Any thread.
 */
public final class AsyncNames {
  private static final Set<OpenOption> KNOWN = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE,
      StandardOpenOption.CREATE_NEW);

  private final PvfsFileSystem files;
  private final Engine engine;

  AsyncNames(PvfsFileSystem files, Engine engine) {
    this.files = files;
    this.engine = engine;
  }

  /** The manager's attributes of a file. A symbolic link at the end is followed. */
  public CompletionStage<FileAttributes> attributes(String path) {
    return walk(path).thenApply(MetaReply::attributes);
  }

  /** The length: of a regular file as the daemons have it, of others as the manager has it. */
  public CompletionStage<Long> size(String path) {
    return walk(path).thenCompose(reply -> {
      FileAttributes found = reply.attributes();
      return found.isRegular() && (reply.number() & MetaReply.LENGTH_OPEN) != 0 ? sizeOf(path, found) : CompletableFuture.completedFuture(found.bytes());
    });
  }

  private CompletionStage<Long> sizeOf(String path, FileAttributes found) {
    PvfsFile file = files.opened(path, found, true, false); // Only to ask the daemons: the manager does not count it as open.
    try {
      return file.sizeAsync();
    } catch (PvfsException failed) {
      return CompletableFuture.failedStage(failed);
    }
  }

  private CompletableFuture<MetaReply> walk(String path) {
    try {
      return engine.begin(MetaRequest.of(MetaOp.WALK, engine.caller(), PvfsFileSystem.ROOT, 1).named(PvfsFileSystem.encoded(path)), path);
    } catch (PvfsException wrong) {
      return CompletableFuture.failedFuture(wrong);
    }
  }

  /** Makes a request about a name in a directory, once that directory is found. */
  private interface InDirectory {
    MetaRequest of(long parent, byte[] name);
  }

  /** @param ofRoot the errno for the root directory, which has no parent */
  private CompletableFuture<MetaReply> inParent(String path, String what, int ofRoot, InDirectory request) {
    if (PvfsFileSystem.isRoot(path)) {
      return CompletableFuture.failedFuture(new PvfsException(ofRoot, what + " " + path));
    }
    String trimmed = PvfsFileSystem.trimmed(path);
    int cut = trimmed.lastIndexOf('/');
    byte[] name;
    try {
      name = PvfsFileSystem.nameOf(path);
    } catch (PvfsException wrong) {
      return CompletableFuture.failedFuture(wrong);
    }
    CompletableFuture<Long> parent = cut <= 0 ? CompletableFuture.completedFuture(PvfsFileSystem.ROOT)
        : walk(trimmed.substring(0, cut)).thenApply(reply -> reply.attributes().inode());
    return parent.thenCompose(inode -> engine.begin(request.of(inode, name), what + " " + path));
  }

  /** Opens a file. Options: READ, WRITE, CREATE and CREATE_NEW. */
  public CompletionStage<PvfsFile> open(String path, OpenOption... options) {
    return open(path, StripingWish.NONE, 0644, options);
  }

  /** Opens a file; if this creates it, it gets these permissions and this striping. */
  public CompletionStage<PvfsFile> open(String path, StripingWish wish, int mode, OpenOption... options) {
    Set<OpenOption> all = Set.of(options);
    if (!KNOWN.containsAll(all)) {
      throw new UnsupportedOperationException(all + " of " + path + "; there are " + KNOWN);
    }
    PvfsFileSystem.requireMode(mode);
    boolean mayWrite = all.contains(StandardOpenOption.WRITE);
    boolean mayRead = all.contains(StandardOpenOption.READ) || !mayWrite;
    boolean mustBeNew = all.contains(StandardOpenOption.CREATE_NEW);
    int access = (mayRead ? 1 : 0) | (mayWrite ? 2 : 0);
    boolean isMade = mustBeNew || all.contains(StandardOpenOption.CREATE) && !PvfsFileSystem.isDirectoryByName(path);
    CompletableFuture<MetaReply> opened = mayWrite && isMade
        ? inParent(path, "create", Errno.EEXIST, (parent, name) -> MetaRequest.of(MetaOp.CREATE, engine.caller(), parent, mode, mustBeNew ? 1 : 0, wish.base(),
            wish.count(), wish.stripeBytes(), access).named(name))
        : walk(path).thenCompose(found -> engine.begin(MetaRequest.of(MetaOp.OPEN, engine.caller(), found.attributes().inode(), access), "open " + path));
    return opened.thenCompose(reply -> {
      PvfsFile file = files.opened(path, reply.attributes(), mayRead, mayWrite);
      if (reply.attributes().isRegular()) {
        return CompletableFuture.completedStage(file);
      }
      PvfsException wrong = new PvfsException(reply.attributes().isDirectory() ? Errno.EISDIR : Errno.EINVAL, "open " + path);
      return file.closeAsync().thenCompose(_ -> CompletableFuture.failedStage(wrong));
    });
  }

  /** Removes a file. */
  public CompletionStage<Void> unlink(String path) {
    return nothing(inParent(path, "unlink", Errno.EISDIR, (parent, name) -> MetaRequest.of(MetaOp.UNLINK, engine.caller(), parent).named(name)));
  }

  /** Makes a directory. */
  public CompletionStage<Void> mkdir(String path, int mode) {
    PvfsFileSystem.requireMode(mode);
    return nothing(inParent(path, "mkdir", Errno.EEXIST, (parent, name) -> MetaRequest.of(MetaOp.MKDIR, engine.caller(), parent, mode).named(name)));
  }

  /** Removes an empty directory. */
  public CompletionStage<Void> rmdir(String path) {
    return nothing(inParent(path, "rmdir", Errno.EBUSY, (parent, name) -> MetaRequest.of(MetaOp.RMDIR, engine.caller(), parent).named(name)));
  }

  private static CompletionStage<Void> nothing(CompletionStage<MetaReply> reply) {
    return reply.thenApply(_ -> null);
  }

  /** All entries of a directory, without "." and "..". */
  public CompletionStage<List<DirectoryPage.Entry>> list(String path) {
    return walk(path).thenCompose(found -> page(path, found.attributes().inode(), 0, new ArrayList<>()));
  }

  private CompletionStage<List<DirectoryPage.Entry>> page(String path, long inode, long cookie, List<DirectoryPage.Entry> all) {
    return engine.begin(MetaRequest.of(MetaOp.READDIR, engine.caller(), inode, cookie, MetaReply.VALUE_BYTES_MAX), "list " + path).thenCompose(reply -> {
      List<DirectoryPage.Entry> page = DirectoryPage.decode(reply.value());
      page.stream().filter(entry -> !PvfsFileSystem.isDots(entry.name())).forEach(all::add);
      return page.isEmpty() ? CompletableFuture.completedStage(all) : page(path, inode, page.getLast().cookie(), all);
    });
  }
}
