package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.store.MetadataStore;
import dev.weft.pvfs.store.StoreException;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The name space on a store that is reopened after a failed write has closed it. Acknowledged changes are still there then, and sessions keep their
 * open files. Until that succeeds, this retries once a second, and all requests fail with the store's error. One thread.
 */
final class KeptNameSpace implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KeptNameSpace.class);
  private static final long AGAIN_NS = 1_000_000_000L;

  private final Supplier<MetadataStore> opener;
  private final Function<MetadataStore, NameSpace> reader;
  private final LongSupplier nowNs;
  private MetadataStore store;
  private NameSpace names;
  private StoreException trouble;
  private long triedNs;
  private boolean hasTried;
  private long failures;
  private long reopened;

  /**
   * Opens the name space.
   *
   * @param opener opens the store, which this owns
   * @param reader reads the name space of a store
   * @param nowNs any monotonic clock
   * @throws StoreException if the store cannot be opened
   */
  KeptNameSpace(Supplier<MetadataStore> opener, Function<MetadataStore, NameSpace> reader, LongSupplier nowNs) {
    this.opener = opener;
    this.reader = reader;
    this.nowNs = nowNs;
    names = open(null);
  }

  /**
   * Opens the name space of a file system.
   *
   * @param opener opens the store, which this owns
   * @param label the expected file system; null accepts any, and makes a new one in an empty store
   * @param daemons number of its daemons
   * @param defaults striping of files and directories without a wish
   * @param wallNs nanoseconds since 1970
   * @throws StoreException if the store cannot be opened or belongs to another file system
   */
  static KeptNameSpace open(Supplier<MetadataStore> opener, FileSystemLabel label, int daemons, StripingWish defaults, LongSupplier wallNs,
      LongSupplier nowNs) {
    NameSpaceSettings settings = NameSpaceSettings.of(daemons).withDefaults(defaults);
    FileSystemLabel fresh = label == null ? FileSystemLabel.random(daemons) : label;
    return new KeptNameSpace(opener, store -> {
      FileSystemLabel there = NameSpace.labelOf(store);
      if (there != null && there.daemons() != daemons) {
        throw new StoreException("the metadata are those of " + there + ", not of " + daemons + "; its files are striped over so many");
      }
      return NameSpace.open(store, settings, label == null && there != null ? null : fresh, wallNs.getAsLong());
    }, nowNs);
  }

  private NameSpace open(NameSpace before) {
    MetadataStore opened = opener.get();
    try {
      NameSpace read = reader.apply(opened);
      if (before != null) {
        read.takeOver(before);
      }
      store = opened;
      return read;
    } catch (RuntimeException failed) {
      opened.close();
      throw failed;
    }
  }

  /** @throws StoreException if the store cannot be used now; its errno is the answer */
  NameSpace get() {
    if (!names.isUsable()) {
      openAgain();
    }
    return names;
  }

  /** Returns the name space even if its store cannot be used: for its state in memory. */
  NameSpace last() {
    return names;
  }

  private void openAgain() {
    long now = nowNs.getAsLong();
    if (hasTried && now - triedNs < AGAIN_NS) {
      throw new StoreException(trouble.getMessage(), trouble.errno(), trouble);
    }
    hasTried = true;
    triedNs = now;
    try {
      names = open(names);
    } catch (StoreException failed) {
      fail(failed);
      throw failed;
    }
    LOG.warn("the store of metadata was opened again after: {}", trouble == null ? "it was closed" : trouble.getMessage());
    hasTried = false;
    trouble = null;
    reopened++;
  }

  private void fail(StoreException failed) {
    if (trouble == null || !failed.getMessage().equals(trouble.getMessage())) {
      LOG.error("the store of metadata fails: {}", failed.getMessage());
    }
    trouble = failed;
    failures++;
  }

  /** Commits as {@link NameSpace#commit}; returns an errno. */
  int commit() {
    boolean writes = names.hasChanges();
    try {
      names.commit();
      trouble = writes && names.isUsable() ? null : trouble;
      return Errno.OK;
    } catch (StoreException failed) {
      fail(failed);
      return failed.errno();
    }
  }

  /**
   * Checks all metadata, and repairs them if requested. Nothing may wait for a commit. Takes as long as reading all metadata.
   *
   * @param mayWrite says for which inodes only the daemons know the length
   * @throws StoreException if the store cannot be used
   */
  Checked check(boolean repairs, LongPredicate mayWrite) {
    NameSpace before = get();
    if (repairs) {
      before.commitAll();
    }
    List<Finding> findings = repairs ? repair(before) : Fsck.check(store);
    Image image = new Image(store);
    List<Checked.File> files = image.inodes.values().stream().filter(Inode::isRegular)
        .map(inode -> new Checked.File(inode.number(), inode.striping(), inode.sizeHint(), !mayWrite.test(inode.number()))).toList();
    Set<Long> pending = image.intents.values().stream().map(Intent::inode).collect(Collectors.toSet());
    return new Checked("", findings, files, pending, image.doubted);
  }

  /** Repairs, then reads the store again, even after a failure: the state in memory is outdated and would reuse inode numbers. */
  private List<Finding> repair(NameSpace before) {
    try {
      return Fsck.repair(store);
    } finally {
      names = reader.apply(store);
      names.takeOver(before);
    }
  }

  /** Returns why the last write or reopening failed; empty if it did not. */
  String trouble() {
    return trouble == null ? "" : trouble.getMessage();
  }

  /** Returns the number of failed writes and attempts to open the store. */
  long failures() {
    return failures;
  }

  long reopened() {
    return reopened;
  }

  @Override
  public void close() {
    try {
      if (names.isUsable() && !names.isAwaited()) { // Unanswered operations have not happened.
        names.commitAll();
      }
    } catch (StoreException failed) {
      LOG.warn("the store of metadata is closed without what nobody waits for: {}", failed.getMessage());
    } finally {
      store.close();
    }
  }
}
