package dev.weft.pvfs.manager;

import dev.weft.pvfs.store.MetadataStore;
import dev.weft.pvfs.store.StoreException;
import java.nio.BufferUnderflowException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/** All metadata of a store in memory, except values of extended attributes: some hundred bytes for each file. For the checker. */
final class Image {
  /** A name, as in both of its records. */
  record Name(long directory, byte[] name, Entries.Entry entry) {}

  /** A record that cannot be read, and why. */
  record Damaged(byte[] key, String why) {}

  SuperBlock block = SuperBlock.EMPTY;
  final TreeMap<Long, Inode> inodes = new TreeMap<>();
  final List<Name> names = new ArrayList<>();
  /** Names in the order of their cookies, as in the directories' lists. */
  final List<Name> listed = new ArrayList<>();
  final Map<Long, List<Name>> namesOf = new HashMap<>();
  final TreeMap<Long, Intent> intents = new TreeMap<>();
  final List<Long> orphans = new ArrayList<>();
  final List<Long> targets = new ArrayList<>();
  final Map<KeptAnswer.Place, KeptAnswer> answers = new HashMap<>();
  /** Files whose length only the daemons know. */
  final List<Long> lengths = new ArrayList<>();
  /** Inodes of which a record was lost and removed. */
  final Set<Long> doubted = new HashSet<>();
  /** Keys of extended attributes. */
  final List<byte[]> xattrs = new ArrayList<>();
  final List<Damaged> damaged = new ArrayList<>();

  private final MetadataStore store;

  Image(MetadataStore store) {
    this.store = store;
    read(Keys.SUPER, entry -> block = Values.superBlock(entry.value()));
    read(Keys.INODES, entry -> inodes.put(Keys.number(entry.key()), Values.inode(Keys.number(entry.key()), entry.value())));
    read(Keys.NAMES, entry -> names.add(new Name(Keys.number(entry.key()), Keys.rest(entry.key()), Values.entry(entry.value()))));
    read(Keys.COOKIES, this::list);
    read(Keys.INTENTS, entry -> intents.put(Keys.number(entry.key()), Values.intent(Keys.number(entry.key()), entry.value())));
    read(Keys.ORPHANS, entry -> {
      Values.orphan(Keys.number(entry.key()), entry.value());
      orphans.add(Keys.number(entry.key()));
    });
    read(Keys.TARGETS, entry -> {
      Values.bytes("a symbolic link", entry.value());
      targets.add(Keys.number(entry.key()));
    });
    read(Keys.XATTRS, entry -> {
      Values.bytes("an extended attribute", entry.value());
      xattrs.add(entry.key());
    });
    read(Keys.LENGTHS, entry -> {
      Values.bytes("a file that is written", entry.value());
      lengths.add(Keys.number(entry.key()));
    });
    read(Keys.ANSWERS, entry -> answers.put(Keys.place(entry.key()), Values.answer(entry.value())));
    read(Keys.HOLDERS, entry -> {
      Keys.number(entry.key());
      Values.bytes("a client that holds something", entry.value());
    });
    read(Keys.DOUBTED, entry -> {
      Values.bytes("a file that was lost", entry.value());
      doubted.add(Keys.number(entry.key()));
    });
    read(Keys.LABEL, entry -> Values.label(entry.value()));
    names.forEach(name -> namesOf.computeIfAbsent(name.entry().inode(), inode -> new ArrayList<>()).add(name));
  }

  private void list(MetadataStore.Entry entry) {
    DirEntry listing = Values.dirEntry(Keys.cookie(entry.key()), entry.value());
    listed.add(new Name(Keys.number(entry.key()), listing.name(), new Entries.Entry(listing.inode(), listing.type(), listing.cookie())));
  }

  private void read(byte[] kind, Consumer<MetadataStore.Entry> reader) {
    byte[] from = kind;
    List<MetadataStore.Entry> page;
    do {
      page = store.scan(kind, from, MetadataStore.SCAN_MAX);
      for (MetadataStore.Entry entry : page) {
        from = Keys.after(entry.key());
        Values.checkVersion("record " + HexFormat.of().formatHex(entry.key()), entry.value());
        try {
          reader.accept(entry);
        } catch (StoreException | BufferUnderflowException | IndexOutOfBoundsException e) {
          damaged.add(new Damaged(entry.key(), e.getMessage() == null ? "its key is too short" : e.getMessage()));
        }
      }
    } while (page.size() == MetadataStore.SCAN_MAX);
  }

  boolean isDirectory(long number) {
    Inode inode = inodes.get(number);
    return inode != null && inode.isDirectory();
  }

  List<Name> namesOf(long inode) {
    return namesOf.getOrDefault(inode, List.of());
  }
}
