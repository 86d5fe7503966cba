package dev.weft.pvfs.manager;

import dev.weft.pvfs.store.Batch;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The directory {@code /lost+found} of a repair, in which inodes without a name get one. For one repair of one image. */
final class LostAndFound {
  private static final byte[] NAME = "lost+found".getBytes(StandardCharsets.US_ASCII);

  private final Image image;
  private Inode directory;

  LostAndFound(Image image) {
    this.image = image;
  }

  /** Gives an inode the name {@code #number}; the next round repairs its links and parent. */
  void add(Inode inode, Batch batch) {
    if (directory == null) {
      directory = find();
    }
    if (directory == null) {
      directory = make(batch);
    }
    byte[] name = ("#" + inode.number()).getBytes(StandardCharsets.US_ASCII);
    directory = enter(directory, name, inode, batch);
  }

  private Inode find() {
    return image.names.stream().filter(name -> name.directory() == Inode.ROOT && Arrays.equals(name.name(), NAME))
        .map(name -> image.inodes.get(name.entry().inode())).filter(inode -> inode != null && inode.isDirectory()).findFirst().orElse(null);
  }

  private Inode make(Batch batch) {
    InodeDraft draft = new InodeDraft(image.block.nextInode(), FileType.DIRECTORY);
    draft.mode = 0700;
    draft.links = 2;
    draft.parent = Inode.ROOT;
    Inode made = draft.inode();
    batch.put(Keys.SUPER, Values.superBlock(image.block.inodeAdded()));
    batch.put(Keys.inode(made.number()), Values.inode(made));
    enter(image.inodes.get(Inode.ROOT), freeName(), made, batch);
    return made;
  }

  /** Returns another name if a file has that name already. */
  private byte[] freeName() {
    boolean taken = image.names.stream().anyMatch(name -> name.directory() == Inode.ROOT && Arrays.equals(name.name(), NAME));
    return taken ? ("lost+found." + image.block.nextInode()).getBytes(StandardCharsets.US_ASCII) : NAME;
  }

  private static Inode enter(Inode directory, byte[] name, Inode inode, Batch batch) {
    InodeDraft draft = directory.draft();
    Entries.Entry entry = new Entries.Entry(inode.number(), inode.type(), draft.nextCookie++);
    Inode changed = draft.inode();
    batch.put(Keys.inode(changed.number()), Values.inode(changed));
    batch.put(Keys.name(changed.number(), name), Values.entry(entry));
    batch.put(Keys.cookie(changed.number(), entry.cookie()), Values.cookie(entry, name));
    return changed;
  }
}
