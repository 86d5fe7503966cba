package dev.weft.tripwire.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Carries out requests, without network code. One thread. */
final class FileService {
  private final ExportedRoot root;
  private final HandleTable handles;
  /** Changes with each start, because writes that were not committed before may be lost. */
  private final long verifier;

  FileService(ExportedRoot root, long verifier, int handlesMax) {
    this.root = root;
    this.verifier = verifier;
    handles = new HandleTable(verifier, handlesMax);
  }

  FileHandle rootHandle() {
    return handles.root();
  }

  /**
   * Carries out a request.
   *
   * @param incoming data of a write
   * @param outgoing receives the data of a read; both have the length of the longest transfer
   */
  FileReply serve(FileRequest request, MemorySegment incoming, MemorySegment outgoing) {
    try {
      return switch (request.operation()) {
        case PING, LEAVE -> done(FileHandle.NONE, FileAttributes.NONE);
        case LOOKUP -> lookup(request);
        case GETATTR -> done(request.handle(), of(current(request.handle())));
        case READ -> read(request, outgoing);
        case WRITE -> write(request, incoming);
        case CREATE -> create(request);
        case REMOVE -> remove(request);
        case READDIR -> readdir(request, outgoing);
        case COMMIT -> commit(request);
      };
    } catch (IOException failure) {
      return FileReply.refused(ExportedRoot.statusOf(failure));
    }
  }

  private FileReply done(FileHandle handle, FileAttributes attributes) {
    return new FileReply(FileStatus.OK, 0, false, handle, attributes, verifier);
  }

  private FileReply moved(FileHandle handle, int count, boolean isLast) {
    return new FileReply(FileStatus.OK, count, isLast, handle, FileAttributes.NONE, verifier);
  }

  private static FileAttributes of(BasicFileAttributes attributes) {
    return new FileAttributes(attributes.isDirectory(), attributes.size(), attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS));
  }

  private HandleTable.Entry entry(FileHandle handle) throws FileException {
    HandleTable.Entry entry = handles.find(handle);
    if (entry == null) {
      throw new FileException(FileStatus.STALE, handle + " names no file any more");
    }
    return entry;
  }

  /** Attributes of the file, if it is still the file of the handle. */
  private BasicFileAttributes current(FileHandle handle) throws IOException {
    HandleTable.Entry entry = entry(handle);
    try {
      BasicFileAttributes attributes = root.attributes(entry.path());
      if (entry.key() == null || entry.key().equals(attributes.fileKey())) {
        return attributes;
      }
    } catch (IOException gone) {
      if (ExportedRoot.statusOf(gone) != FileStatus.NO_ENTRY) {
        throw gone;
      }
    }
    handles.forget(entry);
    throw new FileException(FileStatus.STALE, handle + " named a file that is gone");
  }

  private List<String> pathOf(FileHandle handle) throws IOException {
    current(handle);
    return entry(handle).path();
  }

  private static List<String> child(List<String> directory, String name) throws FileException {
    ExportedRoot.name(name);
    List<String> path = new ArrayList<>(directory);
    path.add(name);
    return List.copyOf(path);
  }

  private FileReply lookup(FileRequest request) throws IOException {
    List<String> path = child(pathOf(request.handle()), request.name());
    BasicFileAttributes attributes = root.attributes(path);
    return done(handles.handle(path, attributes.fileKey()), of(attributes));
  }

  private static void checkRange(FileRequest request, long limit) throws FileException {
    if (request.offset() < 0 || request.count() < 0 || request.count() > limit || request.offset() > Long.MAX_VALUE - request.count()) {
      throw new FileException(FileStatus.INVALID, request.count() + " bytes at " + request.offset() + ", at most " + limit + " at a time");
    }
  }

  private FileReply read(FileRequest request, MemorySegment outgoing) throws IOException {
    checkRange(request, outgoing.byteSize());
    var buffer = outgoing.asSlice(0, request.count()).asByteBuffer();
    root.read(pathOf(request.handle()), request.offset(), buffer);
    return moved(request.handle(), buffer.position(), buffer.hasRemaining());
  }

  private FileReply write(FileRequest request, MemorySegment incoming) throws IOException {
    checkRange(request, incoming.byteSize());
    root.write(pathOf(request.handle()), request.offset(), incoming.asSlice(0, request.count()).asByteBuffer());
    return moved(request.handle(), request.count(), false);
  }

  private FileReply create(FileRequest request) throws IOException {
    List<String> directory = pathOf(request.handle());
    List<String> path = child(directory, request.name());
    BasicFileAttributes attributes = root.create(directory, request.name());
    return done(handles.handle(path, attributes.fileKey()), of(attributes));
  }

  private FileReply remove(FileRequest request) throws IOException {
    List<String> directory = pathOf(request.handle());
    List<String> path = child(directory, request.name());
    root.remove(directory, request.name());
    handles.forget(path);
    return done(FileHandle.NONE, FileAttributes.NONE);
  }

  private FileReply readdir(FileRequest request, MemorySegment outgoing) throws IOException {
    checkRange(request, outgoing.byteSize());
    if (request.count() < FileRequest.NAME_MAX + 3) {
      throw new FileException(FileStatus.INVALID, request.count() + " bytes have no room for the longest entry");
    }
    var buffer = outgoing.asSlice(0, request.count()).asByteBuffer();
    if (!current(request.handle()).isDirectory()) {
      throw new FileException(FileStatus.NOT_DIRECTORY, request.handle() + " is no directory");
    }
    boolean all = root.list(entry(request.handle()).path(), request.name(), buffer);
    return moved(request.handle(), buffer.position(), all);
  }

  private FileReply commit(FileRequest request) throws IOException {
    root.commit(pathOf(request.handle()));
    return done(request.handle(), FileAttributes.NONE);
  }

  int handleCount() {
    return handles.size();
  }
}
