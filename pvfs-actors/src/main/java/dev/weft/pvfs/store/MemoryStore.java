package dev.weft.pvfs.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A store on a {@link MemoryDisk}: deterministic, for virtual time and for file systems whose metadata need not outlive the manager. One thread. */
public final class MemoryStore implements MetadataStore {
  private final MemoryDisk disk;
  private boolean open = true;

  MemoryStore(MemoryDisk disk) {
    this.disk = disk;
  }

  @Override
  public byte[] get(byte[] key) {
    checkOpen();
    return disk.entries.get(key);
  }

  @Override
  public void commit(Batch batch, boolean sync) {
    checkOpen();
    disk.commit(batch, sync);
  }

  @Override
  public List<Entry> scan(byte[] prefix, byte[] from, int limit) {
    checkOpen();
    MetadataStore.checkLimit(limit);
    List<Entry> found = new ArrayList<>();
    byte[] start = Batch.ORDER.compare(from, prefix) < 0 ? prefix : from;
    for (Map.Entry<byte[], byte[]> entry : disk.entries.tailMap(start, true).entrySet()) {
      if (found.size() == limit || !MetadataStore.hasPrefix(entry.getKey(), prefix)) {
        break;
      }
      found.add(new Entry(entry.getKey(), entry.getValue()));
    }
    return found;
  }

  @Override
  public boolean isFull() {
    return disk.isFull();
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public void close() {
    open = false;
    disk.left(this);
  }

  private void checkOpen() {
    if (!open) {
      throw new StoreException(disk.name() + " is closed");
    }
  }
}
