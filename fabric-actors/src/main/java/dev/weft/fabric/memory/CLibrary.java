package dev.weft.fabric.memory;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/** Functions of the C library. Any thread. */
public final class CLibrary {
  private CLibrary() {}

  /** Returns a function that the caller can do without; null if this machine lacks it or this JVM lacks --enable-native-access. */
  public static MethodHandle findIfAllowed(String name, FunctionDescriptor type, Linker.Option... options) {
    return CLibrary.class.getModule().isNativeAccessEnabled() ? find(name, type, options) : null;
  }

  /** Returns a function; null if this machine lacks it. A JVM without --enable-native-access prints a warning. */
  @SuppressWarnings("restricted") // Calls the C library; that is the purpose of native access.
  public static MethodHandle find(String name, FunctionDescriptor type, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    return linker.defaultLookup().find(name).map(address -> linker.downcallHandle(address, type, options)).orElse(null);
  }
}
