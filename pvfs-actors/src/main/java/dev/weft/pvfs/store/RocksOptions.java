package dev.weft.pvfs.store;

import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.CompressionType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.WALRecoveryMode;

/** The options of RocksDB, and the native memory that they use. */
final class RocksOptions implements AutoCloseable {
  private static final int BITS_PER_KEY = 10;

  private final Cache cache;
  private final BloomFilter filter = new BloomFilter(BITS_PER_KEY, false);
  private final Options options = new Options();

  RocksOptions(RocksSettings settings) {
    cache = new LRUCache(settings.cacheBytes());
    options.setCreateIfMissing(true).setParanoidChecks(true)
        // Ignores a batch that a crash has cut off; any other error in the log makes the open fail.
        .setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords)
        .setWriteBufferSize(settings.writeBufferBytes()).setMaxWriteBufferNumber(2)
        // One thread writes files and one merges them: the processors belong to the fabric.
        .setMaxBackgroundJobs(2).setMaxOpenFiles(256)
        .setCompressionType(CompressionType.LZ4_COMPRESSION)
        .setInfoLogLevel(InfoLogLevel.WARN_LEVEL).setKeepLogFileNum(2).setMaxLogFileSize(1 << 20)
        .setStatsDumpPeriodSec(0).setStatsPersistPeriodSec(0)
        .setTableFormatConfig(new BlockBasedTableConfig().setBlockCache(cache).setFilterPolicy(filter).setCacheIndexAndFilterBlocks(true));
  }

  Options get() {
    return options;
  }

  @Override
  public void close() {
    options.close();
    filter.close();
    cache.close();
  }
}
