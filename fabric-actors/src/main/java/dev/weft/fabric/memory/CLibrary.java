package dev.weft.fabric.memory;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/** Functions of the C library. Any thread. */
public final class CLibrary {
  private CLibrary() {}

  /** A function for what can be done without: null if this machine lacks it or this JVM was not started to call such (--enable-native-access). */
  public static MethodHandle findIfAllowed(String name, FunctionDescriptor type, Linker.Option... options) {
    return CLibrary.class.getModule().isNativeAccessEnabled() ? find(name, type, options) : null;
  }

  /** A function, ready to be called; null if this machine lacks it. A JVM that was not started to call such warns. */
  @SuppressWarnings("restricted") // calls into the C library, which is what native access is for
  public static MethodHandle find(String name, FunctionDescriptor type, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    return linker.defaultLookup().find(name).map(address -> linker.downcallHandle(address, type, options)).orElse(null);
  }
}
