package dev.weft.pvfs.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Caller;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** A name space as text, found only by what clients may ask. */
final class Shown {
  private static final int PAGE_BYTES = 400;

  private final NameSpace space;
  private final List<String> lines = new ArrayList<>();

  private Shown(NameSpace space) {
    this.space = space;
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  static <T> T value(Result<T> result) {
    assertEquals("OK", Errno.name(result.errno()));
    return result.value();
  }

  static List<String> of(NameSpace space) {
    Shown shown = new Shown(space);
    shown.show("", value(space.getattr(Inode.ROOT)));
    shown.lines.add("inodes " + space.statfs().inodes() + ", orphans " + space.statfs().orphans());
    space.intents(0, NameSpace.INTENTS_MAX).forEach(intent -> shown.lines.add(intent.kind() + " " + intent.inode() + " " + intent.sizeBytes()));
    assertEquals(space.intents(0, NameSpace.INTENTS_MAX).size(), space.statfs().intents(), "intents are counted");
    return shown.lines;
  }

  private void show(String path, Inode inode) {
    String target = inode.type() == FileType.SYMLINK ? text(value(space.readlink(inode.number()))) : null;
    TreeMap<String, String> xattrs = new TreeMap<>();
    for (byte[] name : value(space.listxattr(Caller.ROOT, inode.number()))) {
      xattrs.put(text(name), text(value(space.getxattr(Caller.ROOT, inode.number(), name))));
    }
    lines.add(path + " " + inode.number() + " " + inode.type() + " " + Integer.toOctalString(inode.mode()) + " " + inode.uid() + ":" + inode.gid() + " "
        + inode.links() + " " + inode.sizeHint() + " " + target + " " + xattrs);
    if (inode.isDirectory()) {
      children(inode).forEach((name, child) -> show(path + "/" + name, child));
    }
  }

  /** Children by readdir, each of which has to be what lookup finds. */
  private TreeMap<String, Inode> children(Inode directory) {
    TreeMap<String, Inode> children = new TreeMap<>();
    long cookie = 0;
    List<DirEntry> page;
    do {
      page = value(space.readdir(Caller.ROOT, 0, directory.number(), cookie, PAGE_BYTES, true));
      for (DirEntry entry : page) {
        cookie = entry.cookie();
        if (!Entries.isDots(entry.name())) {
          assertEquals(null, children.put(text(entry.name()), entry.attributes()), "readdir shows a name once");
          assertEquals(entry.attributes(), value(space.lookup(Caller.ROOT, directory.number(), entry.name())));
        }
      }
    } while (!page.isEmpty());
    return children;
  }
}
