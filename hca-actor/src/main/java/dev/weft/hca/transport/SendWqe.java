package dev.weft.hca.transport;

import dev.weft.fabric.packet.CopyCounter;
import dev.weft.fabric.packet.MissingPages;
import dev.weft.hca.memory.Mr;
import dev.weft.hca.memory.PageAdvice;
import dev.weft.hca.verbs.MwBind;
import dev.weft.hca.verbs.SgList;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.hca.verbs.WrOpcode;
import java.lang.foreign.MemorySegment;

/** One slot of a send queue: the posted request and its progress. Preallocated and reused. */
final class SendWqe {
  final SgList sgList = new SgList();
  final MemorySegment inlineBuffer;
  /** The regions of the scatter/gather list, resolved when the request is first processed. */
  Mr[] regions = new Mr[1];

  long wrId;
  WrOpcode opcode;
  int flags;
  long remoteAddr;
  int rkey;
  int immData;
  long compareAdd;
  long swap;
  int invalidateRkey;
  MwBind bind;
  int destLid;
  int serviceLevel;
  int remoteQpNum;
  int remoteQkey;
  /** The number of bytes that a FLUSH covers. */
  int flushLength;
  boolean inline;
  /** The length of the message in bytes; a message that is too long is detected when it is started. */
  long length;

  /** Whether some of its regions are unpinned; set when it is started. */
  boolean unpinned;
  boolean started;
  int firstPsn;
  int packets;
  WcStatus localError;

  SendWqe(MemorySegment inlineBuffer) {
    this.inlineBuffer = inlineBuffer;
  }

  /**
   * Copies a request into this slot without posting it. If this throws, the slot stays free.
   *
   * @throws VerbsException EINVAL if memory of inline data was freed; EFAULT if it has no pages
   */
  void load(WorkRequest wr) {
    wrId = wr.wrId();
    opcode = wr.opcode();
    flags = wr.flags();
    remoteAddr = wr.remoteAddr();
    rkey = wr.rkey();
    immData = wr.immData();
    compareAdd = wr.compareAdd();
    swap = wr.swap();
    invalidateRkey = wr.invalidateRkey();
    bind = wr.bind();
    flushLength = wr.flushLength();
    if (wr.addressHandle() != null) {
      destLid = wr.addressHandle().destLid();
      serviceLevel = wr.addressHandle().serviceLevel();
      remoteQpNum = wr.remoteQpNum();
      remoteQkey = wr.remoteQkey();
    }
    started = false;
    unpinned = false;
    localError = null;
    packets = 0;
    inline = wr.inlineCount() > 0;
    if (inline) {
      copyInline(wr);
      sgList.clear();
    } else {
      sgList.copyFrom(wr.sgList());
      length = wr.sgList().totalBytes();
    }
  }

  private void copyInline(WorkRequest wr) {
    length = 0;
    for (int i = 0; i < wr.inlineCount(); i++) {
      MemorySegment data = wr.inlineData(i);
      try {
        MemorySegment.copy(data, 0, inlineBuffer, length, data.byteSize());
        MissingPages.raise();
      } catch (IllegalStateException freed) {
        throw freed(data);
      } catch (InternalError error) {
        throw PageAdvice.missing(error, data);
      }
      length += data.byteSize();
    }
  }

  /** Returns the exception for inline data whose memory was freed. */
  static VerbsException freed(MemorySegment data) {
    return new VerbsException(VerbsException.Errno.EINVAL, "the memory of " + data.byteSize()
        + " bytes inline was freed: its Arena is closed; close it only after the request is posted");
  }

  /** Counts the bytes of inline data, which posting has copied; called when the request is started. */
  void countInline(CopyCounter copies) {
    if (inline) {
      copies.add((int) length);
    }
  }

  int lastPsn() {
    return Psn.add(firstPsn, packets - 1);
  }

  boolean has(int flag) {
    return (flags & flag) != 0;
  }
}
