package dev.weft.pvfs.nio;

import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.wire.FileAttributes;
import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.util.ArrayDeque;
import java.util.Deque;

/** Paths without ".", "..", and, if they are followed, without symbolic links. */
final class RealPaths {
  private static final int LINKS_MAX = 40;

  private RealPaths() {}

  static PvfsPath of(PvfsPath path, boolean follows) throws IOException {
    return Failures.translated(path, null, () -> {
      PvfsFileSystem files = path.getFileSystem().files();
      files.attributes(path.text(), follows); // Throws if it is missing.
      PvfsPath at = path.toAbsolutePath().getRoot();
      Deque<PvfsPath> left = new ArrayDeque<>();
      push(left, path.toAbsolutePath());
      int links = 0;
      while (!left.isEmpty()) {
        PvfsPath name = left.pop();
        String text = name.toString();
        if (text.equals("..")) {
          at = up(files, at, follows);
          continue;
        }
        PvfsPath next = text.equals(".") ? at : at.resolve(name);
        FileAttributes found = follows ? files.attributes(next.text(), false) : null;
        if (found == null || !found.isSymlink()) {
          at = next;
          continue;
        }
        if (++links > LINKS_MAX) {
          throw new FileSystemLoopException(path.toString());
        }
        PvfsPath target = path.getFileSystem().getPath(files.readSymlink(next.text()));
        push(left, target);
        at = target.isAbsolute() ? target.getRoot() : at;
      }
      return at;
    });
  }

  /** Returns the parent. The parent of a symbolic link's target is not the parent of the link, so a ".." behind a link that is not followed stays. */
  private static PvfsPath up(PvfsFileSystem files, PvfsPath at, boolean follows) throws IOException {
    if (at.getParent() == null) {
      return at;
    }
    return !follows && files.attributes(at.text(), false).isSymlink() ? at.resolve("..") : at.getParent();
  }

  private static void push(Deque<PvfsPath> left, PvfsPath path) {
    for (int i = path.getNameCount() - 1; i >= 0; i--) {
      left.push(path.getName(i));
    }
  }
}
